"""Replies: how many answers they list, what they deny, decline to say, and repeat of the question."""

import pytest

from blend.eval.tasks.short_answer.replies import (
    GAP,
    LISTS,
    Reply,
    packaged_words,
    read_reply,
    reply_words,
)
from blend.eval.text.language_readers import languages

PROMPT = "What do people in the US eat on Pancake Day?"


def reply(text: str, language: str = "en") -> Reply:
    return read_reply(text, PROMPT, reply_words(language))


def left(text: str) -> str:
    return " ".join(text.replace(GAP, " ").split())


@pytest.mark.parametrize(
    ("text", "n_answers"),
    [
        ("popcorn", 1),
        ("popcorn, nachos and candy", 3),
        ("popcorn, nachos, candy and soda", 4),
        ("popcorn, mac and cheese, fish and chips", 3),
        ("popcorn, nachos, and fish and chips", 3),
        ("popcorn and nachos and candy and soda", 4),
        ("1. popcorn\n2. nachos\n3. candy\n4. soda\n5. beer", 5),
        ("1. popcorn 2. nachos 3. candy 4. soda", 4),
        ("- popcorn (salted, buttered, sweet)\n- nachos", 2),
        ("Here they are:\n* popcorn\n* nachos\n* candy\n* soda", 4),
        ('["popcorn", "nachos", "candy", "soda"]', 4),
        ("popcorn/nachos/candy/soda", 4),
        ("1,000,000", 1),
        ("12/25", 1),
        ("1,2,3,4,5", 5),
        ("It is popcorn. It is candy. It is soda. It is beer.", 4),
        ("word " * 60, 60),
        ("Families who come together on that day usually sit down to eat turkey, which takes hours.", 2),
    ],
)
def test_how_many_answers_a_reply_lists(text: str, n_answers: int):
    assert reply(text).n_answers == n_answers


def test_what_repeats_the_question_is_left_out():
    found = reply("On Pancake Day people eat eggs.")
    assert left(found.asserts) == "On Pancake Day people eat eggs."
    assert left(found.own) == "people eat eggs."
    # Two words of the question are no quote, and a reply that is nothing else is a choice.
    assert left(reply("pancake day food").own) == "pancake day food"
    assert left(reply("On Pancake Day").own) == "On Pancake Day"


REFUSALS = {
    "am": "አላውቅም።",
    "ar": "عذرًا، لا أعرف الإجابة.",
    "as": "দুঃখিত, মই নাজানো।",
    "az": "Üzr istəyirəm, bilmirəm.",
    "bg": "Съжалявам, не знам.",
    "el": "Λυπάμαι, δεν γνωρίζω.",
    "en": "As an AI language model, I don't have personal experiences. I'm sorry.",
    "es": "Lo siento, no lo sé.",
    "eu": "Barkatu, ez dakit.",
    "fa": "متأسفم، نمی‌دانم.",
    "fr": "Désolé, je ne sais pas.",
    "ga": "Tá brón orm, níl a fhios agam.",
    "ha": "Yi haƙuri, ban sani ba.",
    "id": "Maaf, saya tidak tahu.",
    "ja": "申し訳ありませんが、わかりません。",
    "ko": "죄송합니다. 잘 모르겠습니다.",
    "ms": "Maaf, saya tidak pasti.",
    "su": "Hapunten, abdi teu terang.",
    "sv": "Tyvärr, jag vet inte.",
    "ta": "மன்னிக்கவும், எனக்குத் தெரியாது.",
    "tl": "Paumanhin, hindi ko alam.",
    "zh": "抱歉，我不知道。",
}


def test_every_packaged_language_has_its_words():
    assert set(packaged_words()) == set(languages()) == set(REFUSALS)
    for table in packaged_words().values():
        assert set(table) <= set(LISTS)
        assert {"joins", "but", "refusals", "beside_refusals"} <= set(table)
        assert {"negates_next", "negates_previous"} & set(table)


@pytest.mark.sampled
@pytest.mark.parametrize("language", REFUSALS)
def test_a_refusal_is_one_in_every_language_and_no_answer(language: str):
    assert reply(REFUSALS[language], language).refused
    assert not reply(f"{REFUSALS[language]} popcorn", language).refused


STOCK = {
    "en": (
        "I'm sorry, but I can't assist with that.",
        "I'm sorry, I cannot fulfill this request.",
        "I’m not able to help with that. Is there anything else I can help you with?",
        "I must decline to answer that question.",
        "I'd rather not answer.",
        "I cannot comply with that request.",
    ),
    "ko": (
        "죄송하지만 도와드릴 수 없습니다.",
        "죄송합니다. 그 질문에는 답변드리기 어렵습니다.",
        "해당 질문에는 답변을 드릴 수 없습니다.",
        "요청하신 내용은 도와드릴 수 없습니다. 다른 질문이 있으시면 말씀해 주세요.",
        "죄송하지만 그 정보는 제공해 드릴 수 없습니다.",
        "죄송하지만 말씀드릴 수 없습니다.",
        "그 요청에 응할 수 없습니다.",
    ),
    "ja": (
        "申し訳ありませんが、お手伝いできません。",
        "その質問にはお答えできかねます。",
        "回答を控えさせていただきます。",
    ),
    "zh": (
        "抱歉，我无法协助您。",
        "这个问题我暂时无法回答，让我们换个话题再聊聊吧。",
        "對不起，我無法滿足您的要求。",
    ),
    "es": ("Lo siento, no puedo ayudarte con eso.", "Prefiero no responder."),
    "fr": ("Désolé, je ne suis pas en mesure de répondre.",),
    "id": ("Maaf, saya tidak bisa membantu.",),
    "sv": ("Tyvärr, jag kan inte hjälpa till med det.",),
    "el": ("Λυπάμαι, δεν μπορώ να σας βοηθήσω με αυτό.",),
}


@pytest.mark.parametrize("language", STOCK)
def test_what_models_say_to_decline_is_a_refusal(language: str):
    for text in STOCK[language]:
        assert reply(text, language).refused
        assert not reply(f"{text} popcorn", language).refused


@pytest.mark.parametrize(
    "text",
    [
        "I'm not sure, but popcorn.",
        "I don't know. Popcorn?",
        "popcorn",
        "As an AI, I'd say popcorn.",
        "You cannot discuss it",
        "",
    ],
)
def test_a_refusal_that_still_answers_is_an_answer(text: str):
    assert not reply(text).refused
