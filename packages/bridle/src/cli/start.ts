// `bridle start`: serve until told to stop.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HarnessServer, type ServerOptions } from '../targets/node.ts'
import type { Flags } from './main.ts'

export const start = async (flags: Flags): Promise<void> => {
  const options = settings(flags, process.env, await configFile())
  const server = await HarnessServer.start(options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new Error(`Port ${options.port} is in use; choose another by --port.`)
    throw error
  })
  console.log(greeting(server.url))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => server.close().then(() => process.exit(0)))
}

/** Flag, then environment, then bridle.config.ts, then default. */
export const settings = (flags: Flags, env: NodeJS.ProcessEnv, config: ServerOptions): ServerOptions => {
  const port = flags.port ?? env.PORT
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new Error(`"${port}" is not a port.`)
  const authToken = env.FABRIC_HARNESS_API_TOKEN || config.authToken
  return {
    ...config,
    port: port === undefined ? (config.port ?? 4317) : Number(port),
    host: flags.host ?? config.host ?? '127.0.0.1',
    data: flags.data ?? env.BRIDLE_DATA ?? config.data ?? '.bridle',
    ...(authToken !== undefined && { authToken }),
  }
}

const configFile = async (): Promise<ServerOptions> => {
  const path = resolve('bridle.config.ts')
  if (!existsSync(path)) return {}
  return ((await import(pathToFileURL(path).href)) as { default?: ServerOptions }).default ?? {}
}

const greeting = (url: string): string => `Bridle is ready at ${url}

  watch:  curl -N ${url}/agents/scripted/hello/stream
  ask:    curl -X POST ${url}/agents/scripted/hello -H 'content-type: application/json' -d '{"prompt":"Hello"}'
  look:   curl ${url}/sessions/hello
`
