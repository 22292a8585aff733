import java.io.Reader;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.it.ItalianAnalyzer;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.pattern.PatternReplaceCharFilter;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.analysis.AbstractCharFilterFactory;
import org.elasticsearch.index.analysis.AbstractIndexAnalyzerProvider;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;
import org.elasticsearch.index.analysis.AnalyzerProvider;
import org.elasticsearch.index.analysis.CharFilterFactory;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;

/**
 * The test distribution is the real server without the modules that a full one adds. This gives what our mapping and
 * the client need of them, from Lucene's own classes and under the names that the full distribution knows.
 */
public class FullNames extends Plugin implements AnalysisPlugin, ActionPlugin {
    private static final Map<String, Supplier<Analyzer>> LANGUAGES = Map.of(
            "english", EnglishAnalyzer::new,
            "french", FrenchAnalyzer::new,
            "german", GermanAnalyzer::new,
            "italian", ItalianAnalyzer::new,
            "spanish", SpanishAnalyzer::new);

    @Override
    public Map<String, AnalysisProvider<AnalyzerProvider<? extends Analyzer>>> getAnalyzers() {
        return LANGUAGES.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, language -> analyzer(language.getValue())));
    }

    private static AnalysisProvider<AnalyzerProvider<? extends Analyzer>> analyzer(Supplier<Analyzer> make) {
        return (index, environment, name, settings) -> new AbstractIndexAnalyzerProvider<Analyzer>(name) {
            private final Analyzer analyzer = make.get();

            @Override
            public Analyzer get() {
                return analyzer;
            }
        };
    }

    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of("asciifolding", (index, environment, name, settings) -> new AbstractTokenFilterFactory(name) {
            @Override
            public TokenStream create(TokenStream tokens) {
                return new ASCIIFoldingFilter(tokens);
            }
        });
    }

    @Override
    public Map<String, AnalysisProvider<CharFilterFactory>> getCharFilters() {
        return Map.of("pattern_replace", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
            Pattern pattern = Pattern.compile(settings.get("pattern"));
            String replacement = settings.get("replacement", "");
            return new AbstractCharFilterFactory(name) {
                @Override
                public Reader create(Reader text) {
                    return new PatternReplaceCharFilter(pattern, replacement, text);
                }
            };
        }));
    }

    @Override
    public List<RestHandler> getRestHandlers(
            RestHandlersServices services, Supplier<DiscoveryNodes> nodes, Predicate<NodeFeature> features) {
        return List.of(new Root());
    }

    /** What clients ask first. */
    private static final class Root extends BaseRestHandler {
        @Override
        public String getName() {
            return "full_names_root";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> {
                try (var body = channel.newBuilder()) {
                    body.startObject().field("cluster_name", "footnote-tests").startObject("version");
                    body.field("number", Build.current().version()).endObject().endObject();
                    channel.sendResponse(new RestResponse(RestStatus.OK, body));
                }
            };
        }
    }
}
