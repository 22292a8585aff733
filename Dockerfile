FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY bot bot
COPY indexers indexers
RUN python -m venv /opt/footnote \
 && /opt/footnote/bin/pip install --no-cache-dir -c constraints.txt '.[embedded]'

FROM python:3.13-slim
RUN useradd --create-home --uid 10001 footnote \
 && install --directory --owner footnote --group footnote /data
COPY --from=build /opt/footnote /opt/footnote
ENV PATH=/opt/footnote/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    FOOTNOTE_HOME=/data \
    FOOTNOTE_HTTP_HOST=0.0.0.0 \
    FOOTNOTE_HEALTH_HOST=0.0.0.0
USER footnote
WORKDIR /home/footnote
VOLUME /data
ENTRYPOINT ["footnote"]
CMD ["run"]
