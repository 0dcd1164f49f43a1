"""Texts in one row: the same scores as padded rows, where a model keeps texts apart."""

import numpy as np
import pytest

from blend.eval.models.candidates.masked import MaskedCandidates, masked_logprobs, takes_rows

MASK = 4
SIZES = {
    "vocab_size": 60, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 2, "max_position_embeddings": 64, "pad_token_id": 1,
}  # fmt: skip
PROMPT = [2, 10, 11, 12, MASK, 13, 14, 3]
CANDIDATES = MaskedCandidates([[20], [21, 22], [23, 24], [25, 26, 27, 28], list(range(30, 42))], max_masks=10)


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("architecture", "takes"), [("Bert", True), ("XLMRoberta", True), ("DebertaV2", False), ("FNet", False)]
)
def test_scores_in_a_row_are_those_of_padded_texts(architecture: str, takes: bool):
    import transformers

    config = getattr(transformers, f"{architecture}Config")(
        **{name: value for name, value in SIZES.items() if architecture != "FNet" or "attention" not in name}
    )
    model = getattr(transformers, f"{architecture}ForMaskedLM")(config).eval()
    assert takes_rows(model, PROMPT, MASK, CANDIDATES) is takes
    if takes:
        (padded,) = masked_logprobs(model, [PROMPT], MASK, [CANDIDATES])
        (in_row,) = masked_logprobs(model, [PROMPT], MASK, [CANDIDATES], in_row=True)
        # The candidate of twelve tokens has more than there may be masks.
        assert np.isnan(padded.logprobs).tolist() == [False, False, False, False, True]
        np.testing.assert_allclose(in_row.logprobs, padded.logprobs, atol=2e-5)
