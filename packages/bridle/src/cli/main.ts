#!/usr/bin/env node
// The `bridle` command.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { start } from './start.ts'

const usage = `bridle: one durable harness for any agent and any frontend

  bridle start [--port 4317] [--host 127.0.0.1] [--data .bridle]
  bridle --version
  bridle --help

Settings come from a flag, then PORT and BRIDLE_DATA, then bridle.config.ts, then the default.
A token in FABRIC_HARNESS_API_TOKEN is asked of every caller; without one only this machine may ask.`

const verbs: { readonly [verb: string]: (flags: Flags) => Promise<void> } = { start }

export type Flags = { readonly port?: string; readonly host?: string; readonly data?: string }

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [verb = 'help', ...more] = positionals
  const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (values.version) console.log(version())
  else if (values.help || verb === 'help') console.log(usage)
  else if (!act || more.length > 0) fail(`There is no "${positionals.join(' ')}". Try bridle --help.`)
  else await act(values)
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}

function fail(message: string): void {
  console.error(`bridle: ${message}`)
  process.exitCode = 1
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version
}
