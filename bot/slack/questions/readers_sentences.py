"""What Slack users read where an answer is for fewer people than it was asked among, or for nobody."""

READERS_UNKNOWN = {
    "en": "I cannot tell any more who can read this, so I have left the answer out. Please ask again in some minutes.",
    "fr": "Je ne peux plus savoir qui peut lire ici ; j'ai donc retiré la réponse. Redemandez-la dans quelques "
    "minutes.",
}
READS_LESS = {
    "en": "You may no longer read all that this answer is made from, so I have left it out. Ask again to get another.",
    "fr": "Vous n'avez plus accès à tout ce dont cette réponse est faite ; je l'ai donc retirée. Redemandez-la pour en "
    "avoir une autre.",
}
READER_UNKNOWN = {
    "en": "I cannot tell at the moment what you may read, so I have left the answer out. Please ask again in some "
    "minutes.",
    "fr": "Je ne peux pas savoir pour le moment ce que vous pouvez lire ; j'ai donc retiré la réponse. Redemandez-la "
    "dans quelques minutes.",
}
TOLD_DIRECTLY = {
    "en": "I cannot tell any more who can read this, so I have sent the answer to the person who asked, alone.",
    "fr": "Je ne peux plus savoir qui peut lire ici ; j'ai donc envoyé la réponse à la seule personne qui l'a "
    "demandée.",
}
TOLD_ALONE = {
    "en": "I cannot tell any more who can read {channel}, so you alone get the answer to your question there.",
    "fr": "Je ne peux plus savoir qui peut lire {channel} ; la réponse à la question que vous y avez posée ne va donc "
    "qu'à vous.",
}
WITHHELD = {
    "en": "I cannot answer in {channel} any more, and cannot tell whether you may read all that the answer to your "
    "question there is made from, so I have left it out.",
    "fr": "Je ne peux plus répondre dans {channel}, ni savoir si vous avez accès à tout ce dont est faite la réponse à "
    "la question que vous y avez posée ; je l'ai donc retirée.",
}
