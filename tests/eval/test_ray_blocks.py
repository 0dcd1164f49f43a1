"""Blocks of answers of vLLM on Ray: shards that are whole are kept, and of others the rest is handed on."""

import json
from pathlib import Path

import polars as pl

from blend.eval.ray_vllm import kept_of_block
from blend.eval.runs.answer_files import ANSWERS, read_answers
from blend.eval.runs.shards import FolderShards, ShardName


def answer(position: int, shard: ShardName) -> dict[str, object]:
    key = {"item_id": f"i{position}", "locale": "ko-KR", "prompt_id": "p", "position": position}
    row = {**dict.fromkeys(ANSWERS), **key, "text": f"text {position}", "tokens_in": 2, "tokens_out": 3}
    return {**row, "finish_reason": "stop", "shard": shard.file, "shard_size": shard.stop - shard.start}


def test_a_whole_shard_is_kept_and_of_another_one_the_rest_handed_on(tmp_path: Path):
    whole, half = ShardName(0, 3), ShardName(3, 5)
    rows = [answer(n, whole) for n in (2, 0, 1)] + [answer(3, half)]
    found = kept_of_block(FolderShards(tmp_path), pl.DataFrame(rows, infer_schema_length=None).to_arrow())
    assert (found["n_items"], found["tokens_in"], found["tokens_out"]) == ([3, 0], [6, 0], [9, 0])
    assert found["rest"][0] == ""
    assert [row["text"] for row in json.loads(found["rest"][1]).values()] == ["text 3"]
    assert FolderShards(tmp_path).names() == [whole.file]
    assert read_answers(tmp_path)["item_id"].to_list() == ["i0", "i1", "i2"]
