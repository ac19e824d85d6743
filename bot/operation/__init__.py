"""What the person who runs the bot meets: going online, the verbs that need no Discord, health."""
