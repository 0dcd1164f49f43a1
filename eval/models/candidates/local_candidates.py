"""Local probers: models of transformers on a CPU or one GPU, asked by the scorer of their kind."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blend.eval.models.alone import Twice, check_alone, explained_trial, plain_logprob, spread
from blend.eval.models.batches import GPU_TOKENS, Batches
from blend.eval.models.candidates import encoder_decoder, masked, published_greedy
from blend.eval.models.candidates.candidate_protocol import (
    CandidateScores,
    Gapped,
    OnCandidates,
    Tokenised,
    divided,
)
from blend.eval.models.candidates.causal import separate_logprobs, takes_trees, tree_logprobs
from blend.eval.models.candidates.model_kinds import Scorer
from blend.eval.models.candidates.prefix_tree import Tree, make_tree
from blend.eval.models.checkpoint import Checkpoint
from blend.eval.models.encoding import Encoder, n_in_common
from blend.eval.models.model_loading import Device, fitting_threads, library_versions, load_model
from blend.eval.models.protocols import ModelDescription
from blend.eval.models.text_generation import end_tokens
from blend.schemas.errors import InputError
from blend.schemas.prompts.candidate_options import Causal

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

FED_ON_CPU = 256
"""Nodes of a tree fed in a pass on a CPU: what a layer computes of more no longer fits into its caches, and
the scores of 250,000 tokens at as many places would take gigabytes."""

FED_ON_GPU = 2048
"""Nodes of a tree fed in a pass on a GPU."""


@dataclass
class _Set:
    """Candidates as a model's tokens, made when they are first asked for."""

    texts: Sequence[str]
    tokens: dict[bool, list[list[int]]] = field(default_factory=dict)
    trees: dict[bool, Tree] = field(default_factory=dict)
    for_masks: masked.MaskedCandidates | None = None


_Request = tuple[int, Gapped, list[int], _Set]
"""Position of a prompt, the prompt, its tokens, and its candidates."""


class LocalCandidateScorer:
    """See `candidate_protocol.CandidateScorer`.

    On a CPU each prompt is computed on its own: its scores depend on nothing else.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        tokenizer: "PreTrainedTokenizerBase",
        chosen_device: Device,
        scorer: Scorer,
        *,
        causal: Causal,
        max_masks: int,
        batch_size: int | None,
        context: int | None,
    ) -> None:
        if scorer == "encoder_decoder":
            encoder_decoder.check_sentinels(tokenizer, model=checkpoint.id)
        if scorer == "masked" and tokenizer.mask_token_id is None:
            raise InputError(
                f"model {checkpoint.id}: its tokenizer has no mask; save the one that the model was trained "
                f"with "
                "beside it"
            )
        self._checkpoint = checkpoint
        self._tokenizer = tokenizer
        self._device = chosen_device
        self._scorer = scorer
        self._causal = causal
        self._max_masks = max_masks
        self._context = context
        self._encoder = Encoder(tokenizer, chat=False)
        on_cpu = chosen_device.on_cpu
        self._fed = FED_ON_CPU if on_cpu else FED_ON_GPU
        # One token at a time means one prompt at a time, however long it is.
        self._batches = Batches(1 if on_cpu else GPU_TOKENS, batch_size=batch_size)
        self._loaded: PreTrainedModel | None = None
        self._takes_trees: bool | None = None
        self._tried: Sequence[str] | None = None
        """The candidates with which the model was last compared with itself."""
        # On a GPU many prompts share a batch, and who sees whom in a row of all of them would not fit.
        self._takes_rows: bool | None = None if on_cpu else False

    def describe(self) -> ModelDescription:
        """See `models.protocols.Described.describe`."""
        return ModelDescription(
            backend="transformers",
            scorer=self._scorer,
            id=self._checkpoint.id,
            revision=self._checkpoint.revision,
            config_digest=self._checkpoint.config_digest,
            weights_digest=self._checkpoint.weights_digest,
            tokenizer_digest=self._checkpoint.tokenizer_digest,
            chat=False,
            delimiter="",
            context_tokens=self._context,
            dtype=self._device.dtype,
            device=self._device.shown(),
            versions=library_versions(),
        )

    def candidate_logprobs(
        self,
        prompts: Sequence[str],
        sets: Sequence[int],
        candidates: Sequence[Sequence[str]],
        *,
        keep: OnCandidates,
    ) -> None:
        """See `candidate_protocol.CandidateScorer.candidate_logprobs`; the longest prompts come first."""
        known = [_Set(texts) for texts in candidates]
        asked: list[_Request] = []
        for position, (prompt, which) in enumerate(zip(prompts, sets, strict=True)):
            try:
                gapped = divided(prompt)
            except InputError as error:
                keep(position, CandidateScores.failed(str(error)))
                continue
            ids = self._encoded(gapped)
            problem = self._problem(gapped, ids, known[which])
            if problem is None:
                asked.append((position, gapped, ids, known[which]))
            else:
                keep(position, CandidateScores.failed(problem, tokens_in=len(ids)))

        def compute(batch: list[int]) -> None:
            chosen = [asked[i] for i in batch]
            for (position, *_), scores in zip(chosen, self._scored(chosen), strict=True):
                keep(position, scores)

        def failed(i: int) -> None:
            position, _, ids, _ = asked[i]
            why = f"out of memory: {len(ids)} tokens and their candidates do not fit into that of"
            keep(position, CandidateScores.failed(f"{why} {self._device.device}", tokens_in=len(ids)))

        if asked:
            with fitting_threads(self._model):
                self._try(asked)
                self._batches.run([self._cost(ids, of) for _, _, ids, of in asked], compute, failed)

    def _try(self, asked: Sequence[_Request]) -> None:
        """Compute the shortest and the longest prompt of the largest set as the run will, and compare.

        Raises:
            InputError: If candidates have other scores alone (`models.alone`).
        """
        largest = max((candidates for *_, candidates in asked), key=lambda of: len(of.texts))
        if largest.texts == self._tried:
            return
        of_largest = sorted((one for one in asked if one[3] is largest), key=lambda one: len(one[2]))
        # The shortest and the longest, or the only one.
        tried = of_largest[:1] + of_largest[1:][-1:]

        def compute(batch: list[int]) -> None:
            chosen = [tried[i] for i in batch]
            for (_, prompt, ids, candidates), scores in zip(chosen, self._scored(chosen), strict=True):
                given, tokens = self._continuations(prompt, ids, candidates)
                ranked = [rest if n else [] for rest, n in zip(tokens, self._ranked(scores), strict=True)]
                at = spread(ranked)
                alone = self._alone(given, [tokens[i] for i in at])
                check_alone(
                    self._model,
                    self._checkpoint.id,
                    [
                        Twice(candidates.texts[i], int(scores.tokens[i]), float(scores.logprobs[i]), value)
                        for i, value in zip(at, alone, strict=True)
                    ],
                )

        # One that does not fit into memory says so when it is asked.
        with explained_trial(self._model, self._checkpoint.id):
            self._batches.run([self._cost(ids, of) for _, _, ids, of in tried], compute, lambda _: None)
        self._tried = largest.texts

    def _ranked(self, scores: CandidateScores) -> list[bool]:
        """Tell which candidates have scores; a masked model ranks none with more tokens than masks."""
        if self._scorer == "masked":
            return [0 < n <= self._max_masks for n in scores.tokens.tolist()]
        return [n > 0 for n in scores.tokens.tolist()]

    def _alone(self, ids: list[int], tokens: Sequence[list[int]]) -> list[float]:
        """Scores of some candidates after a prompt, each computed by itself."""
        if self._scorer == "masked":
            mask = self._tokenizer.mask_token_id
            return [masked.plain_logprob(self._model, ids, mask, own) for own in tokens]
        if self._scorer == "encoder_decoder":
            sentinel = self._sentinel
            return [encoder_decoder.plain_logprob(self._model, ids, sentinel, own) for own in tokens]
        if self._causal == "published-greedy":
            ends = end_tokens(self._model, self._tokenizer)
            return published_greedy.plain_logprobs(self._model, ids, tokens, ends)
        return [plain_logprob(self._model, ids, own) for own in tokens]

    def tokenised(self, candidates: Sequence[str], *, after_blank: bool) -> list[Tokenised]:
        """See `candidate_protocol.CandidateScorer.tokenised`."""
        unknown = self._tokenizer.unk_token_id
        tokens = self._candidate_tokens(candidates, after_blank)
        return [Tokenised(len(ids), 0 if unknown is None else ids.count(unknown)) for ids in tokens]

    @property
    def _sentinel(self) -> int:
        sentinel: int = self._tokenizer.convert_tokens_to_ids(encoder_decoder.OPENING)
        return sentinel

    @property
    def _model(self) -> "PreTrainedModel":
        if self._loaded is None:
            heads = {"masked": "AutoModelForMaskedLM", "encoder_decoder": "AutoModelForSeq2SeqLM"}
            self._loaded = load_model(
                self._checkpoint,
                self._device,
                head=heads.get(self._scorer, "AutoModelForCausalLM"),
                otherwise="a smaller model: no server gives the probabilities of candidates in a gap",
            )
        return self._loaded

    def _encoded(self, prompt: Gapped) -> list[int]:
        if self._scorer == "masked":
            return masked.encoded(self._tokenizer, prompt)
        if self._scorer == "encoder_decoder":
            return encoder_decoder.encoded(self._tokenizer, prompt)
        return self._encoder.prompts([prompt.opening])[0]

    def _candidate_tokens(self, texts: Sequence[str], after_blank: bool) -> list[list[int]]:
        """The tokens of candidates; only a causal model cares for the blank before them."""
        if self._scorer == "encoder_decoder":
            return encoder_decoder.span_tokens(self._tokenizer, texts)
        spoken = texts
        if self._scorer == "causal":
            spoken = [Gapped(" " if after_blank else "", "").spoken(text) for text in texts]
        ids: list[list[int]] = self._tokenizer(list(spoken), add_special_tokens=False, verbose=False)[
            "input_ids"
        ]
        return ids

    def _problem(self, prompt: Gapped, ids: list[int], candidates: _Set) -> str | None:
        """Say why a prompt cannot be asked, if so."""
        if self._scorer == "masked":
            problem = masked.problem(ids, self._tokenizer.mask_token_id)
            if problem is not None:
                return problem
            # The prompt has one mask already.
            longest = len(ids) - 1 + self._masked(candidates).longest
        elif self._scorer == "encoder_decoder":
            longest = len(ids)
        else:
            if not ids:
                return "nothing stands before the gap, and a causal model reads from left to right"
            # The last token of a candidate is read and not fed.
            longest = len(ids) + max(map(len, self._tokens(candidates, prompt)), default=0) - 1
        limit = self._context
        if limit is not None and longest > limit and self._scorer != "encoder_decoder":
            return f"prompt and candidate need {longest} tokens, but the model sees {limit}"
        return None

    def _cost(self, ids: list[int], candidates: _Set) -> int:
        """Tokens that a prompt takes of a batch."""
        if self._scorer != "masked":
            return len(ids)
        return sum(len(ids) - 1 + n for n in self._masked(candidates).members)

    def _tokens(self, candidates: _Set, prompt: Gapped) -> list[list[int]]:
        # A candidate is the same tokens in all gaps, but for the blank before it.
        blank = prompt.after_blank and self._scorer == "causal"
        if blank not in candidates.tokens:
            candidates.tokens[blank] = self._candidate_tokens(candidates.texts, blank)
        return candidates.tokens[blank]

    def _tree(self, candidates: _Set, prompt: Gapped) -> Tree:
        blank = prompt.after_blank and self._scorer == "causal"
        if blank not in candidates.trees:
            candidates.trees[blank] = make_tree(self._tokens(candidates, prompt), fed_at_a_time=self._fed)
        return candidates.trees[blank]

    def _masked(self, candidates: _Set) -> masked.MaskedCandidates:
        if candidates.for_masks is None:
            tokens = self._candidate_tokens(candidates.texts, after_blank=False)
            candidates.for_masks = masked.MaskedCandidates(tokens, self._max_masks)
        return candidates.for_masks

    def _scored(self, asked: Sequence[_Request]) -> list[CandidateScores]:
        """Scores of some prompts, as one batch where the scorer has batches."""
        encoded = [ids for _, _, ids, _ in asked]
        if self._scorer == "masked":
            sets = [self._masked(candidates) for *_, candidates in asked]
            mask = self._tokenizer.mask_token_id
            if self._takes_rows is None:
                self._takes_rows = masked.takes_rows(self._model, encoded[0], mask, sets[0])
            return masked.masked_logprobs(self._model, encoded, mask, sets, in_row=self._takes_rows)
        if self._scorer == "encoder_decoder":
            trees = [self._tree(candidates, prompt) for _, prompt, _, candidates in asked]
            return encoder_decoder.encoder_decoder_logprobs(self._model, encoded, self._sentinel, trees)
        return [self._continued(prompt, ids, candidates) for _, prompt, ids, candidates in asked]

    def _continued(self, prompt: Gapped, ids: list[int], candidates: _Set) -> CandidateScores:
        """Scores of a causal model."""
        if self._causal == "published-greedy":
            ends = end_tokens(self._model, self._tokenizer)
            return published_greedy.greedy_logprobs(self._model, ids, self._tokens(candidates, prompt), ends)
        ids, rest = self._continuations(prompt, ids, candidates)
        if self._causal == "statement":
            # Statements hold the prompt's end as well, so no other prompt shares their tree.
            tree = make_tree(rest, fed_at_a_time=self._fed)
        else:
            tree = self._tree(candidates, prompt)
        if self._takes_trees is None:
            self._takes_trees = takes_trees(self._model, ids, rest)
        if self._takes_trees:
            return tree_logprobs(self._model, ids, tree)
        return separate_logprobs(self._model, ids, rest)

    def _continuations(
        self, prompt: Gapped, ids: list[int], candidates: _Set
    ) -> tuple[list[int], list[list[int]]]:
        """Return what the model is given, and the tokens of each candidate read after it, or in its gap."""
        if self._scorer == "causal" and self._causal == "statement":
            return self._statements(prompt, candidates)
        return ids, self._tokens(candidates, prompt)

    def _statements(self, prompt: Gapped, candidates: _Set) -> tuple[list[int], list[list[int]]]:
        """The tokens that all statements begin with, and how each goes on."""
        texts = [f"{prompt.before}{text}{prompt.after}" for text in candidates.texts]
        encoded_whole = self._encoder.prompts(texts)
        # What the smallest and the largest list in order have in common, all between them have too.
        same = n_in_common(min(encoded_whole), max(encoded_whole))
        # What is read must come after something: a text that begins like all others still has a last token.
        same = min(same, *(len(ids) - 1 for ids in encoded_whole))
        return encoded_whole[0][:same], [ids[same:] for ids in encoded_whole]
