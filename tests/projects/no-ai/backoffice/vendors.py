"""Vendors that purchasing has looked at. None of these names is imported anywhere."""

# openai.ChatCompletion.create(...) was shown to us in 2023; we stayed with people at the counter.
LOOKED_AT = [
    ("openai", "declined", "no need"),
    ("anthropic", "declined", "no need"),
    ("Hugging Face", "declined", "no need"),
    ("Siemens", "contract", "transformers"),
    ("Mistral Windworks", "contract", "fans"),
    ("Llama Wool Ltd", "contract", "blankets for the emergency store"),
]


def contracts() -> list[str]:
    return [name for name, state, _ in LOOKED_AT if state == "contract"]
