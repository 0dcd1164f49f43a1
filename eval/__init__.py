"""Models to predictions to scores; arrives with the evaluation release."""
