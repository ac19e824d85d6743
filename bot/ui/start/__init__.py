"""Starting to play without typing: the panel, and the messages that open it."""
