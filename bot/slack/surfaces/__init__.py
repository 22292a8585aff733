"""Where else people meet the bot: the command, buttons, reactions, App Home, the agent's tab, private answers."""
