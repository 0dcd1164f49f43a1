"""Knowledge of languages and regions: names, spelling, numbers, dates, scripts."""
