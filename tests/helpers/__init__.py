"""What tests share that is not a fixture: servers to talk to, tiny models, inputs in shorthand."""
