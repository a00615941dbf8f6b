"""Estate agents, the flats they show, and the runner who carries the boards."""

from dataclasses import dataclass, field


@dataclass
class Agent:
    name: str
    instructions: str = ""
    tools: list[str] = field(default_factory=lambda: ["keys", "tape measure"])
    viewings: list[str] = field(default_factory=list)

    def invoke(self, address: str) -> str:
        self.viewings.append(address)
        return f"{self.name} shows {address}"


class Runner:
    """The person who puts the boards up before a viewing."""

    @staticmethod
    def run(agent: Agent, address: str) -> str:
        return f"board up at {address}; {agent.invoke(address)}"


def commission(agent: Agent, price_cents: int) -> int:
    return price_cents * 3 // 100 if agent.viewings else 0


SENIOR = Agent(name="Claude Renard", instructions="Shows the harbour flats, keys are in box 4.")


def show(address: str) -> str:
    return Runner.run(SENIOR, address)
