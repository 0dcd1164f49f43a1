"""Label Studio: the open-source server on which people annotate; brings tasks there and annotations back.

In come projects as they should be (`push`), out go annotations as the server exports them (`client`), and what
was seen of each of them (`events`). What a task asks and what an annotation means is for others to say
(`blend.builders.annotation`). The token is in the environment and appears in no message (`connection`).
"""
