// `bridle start`: serve until told to stop.
import type { HarnessServer } from '../targets/node.ts'
import { interruption } from './interruption.ts'
import { type ServerSettings, serverSettings } from './settings.ts'
import { EXIT, Stop, serving, verb } from './verb.ts'

export const serverOptions = {
  port: { type: 'string', value: 'PORT', help: 'else PORT, else 4317; 0 takes any free one' },
  host: { type: 'string', value: 'ADDRESS', help: 'else 127.0.0.1; any other needs a token' },
  ...serving,
} as const

export const start = verb({
  summary: 'serve agents and their sessions',
  takes: [],
  options: serverOptions,
  notes: `Settings come from a flag, then the environment, then bridle.config.ts, then the default.
A token in FABRIC_HARNESS_API_TOKEN is asked of every caller; without one only this machine may ask.`,
  act: async ({ flags, env, out }) => {
    const interrupted = interruption()
    const server = await serve(await serverSettings(flags, env))
    out.line(greeting(server.url))
    await interrupted.happened
    await server.close({ graceMs: GRACE_MS })
    return EXIT.ok
  },
})

/** What runs in this process gets so long to end by itself; a second signal does not wait. */
const GRACE_MS = 5_000

/** A server, or one line on what is in its way. */
export const serve = async (settings: ServerSettings): Promise<HarnessServer> => {
  // Loaded only now: most verbs ask a server and are none, and should not wait for all of it.
  const target = await import('../targets/node.ts')
  return target.HarnessServer.start(settings).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new Stop(EXIT.failed, `Port ${settings.port} is in use; choose another by --port.`)
    throw error
  })
}

export const greeting = (url: string): string => `Bridle is ready at ${url}

  watch:  curl -N ${url}/agents/scripted/hello/stream
  ask:    curl -X POST ${url}/agents/scripted/hello -H 'content-type: application/json' -d '{"prompt":"Hello"}'
  look:   curl ${url}/sessions/hello
`
