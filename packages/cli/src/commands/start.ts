import { defineCommand } from '../command/command.ts'
import { serverOptions } from '../command/setting-flags.ts'
import { startMessage } from '../config/greeting.ts'
import { serverSettings } from '../config/settings.ts'
import { earlyNotes, readyNotes } from '../config/start-notes.ts'
import { startServer, stopServer } from '../runs/own-server.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'

export const start = defineCommand({
  options: serverOptions,
  notes: `Settings come from a flag, then the environment (also .env), then bridle.config.ts, then the default.
A token in FABRIC_HARNESS_API_TOKEN is asked of every caller; without one only this machine may ask.
With --token the other verbs find the token by the data folder; in a browser, paste it into the page that asks for it.`,
  run: async ({ flags, env, out }) => {
    const interrupted = listenForInterrupt()
    const settings = await serverSettings(flags, env)
    earlyNotes(env).forEach(out.line)
    const server = await startServer(settings)
    out.line(await startMessage(server, settings, env, out.width))
    readyNotes(server, settings, env).forEach(out.line)
    await interrupted.interrupted
    await stopServer(server, interrupted, out)
  },
})
