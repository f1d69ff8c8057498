// The message of a server that is ready: its address, and commands to try.

import { readLocalServer, tokenFile } from '../../targets/node/credentials/local-token.ts'
import type { HarnessServer } from '../../targets/node/index.ts'
import { type ServerSettings, tokenFromEnv } from '../config/settings.ts'

/** The header for curl; `token` is a shell expression that yields the token. */
const bearer = (token: string): string => ` -H "authorization: Bearer ${token}"`

export const startMessage = async (
  { url, openAgent, exposureNote }: Pick<HarnessServer, 'url' | 'openAgent' | 'exposureNote'>,
  { data, keepToken = false }: Pick<ServerSettings, 'data' | 'keepToken'>,
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  const hint = { agent: openAgent, note: exposureNote }
  if (!keepToken) return readyMessage(url, authorizationHint(env), hint)
  const file = tokenFile(data)
  const page = await pageFor(url, data)
  return `${readyMessage(url, bearer(`$(cat ${quoted(file)})`), hint)}
  The token is in ${file}; bridle run, attach, sessions and the others find it there, and the page at ${url} asks for it.
${page === null ? '' : `  In a browser, to read about the routes once, within 30 seconds: ${page}\n`}`
}

interface AgentHint {
  /** An agent that callers may use; null = none. */
  readonly agent: string | null
  /** In production: which agents are open, and how to open the others. */
  readonly note: string | null
}

export const readyMessage = (
  url: string,
  header: string,
  { agent, note }: AgentHint = { agent: 'scripted', note: null },
): string => `Bridle is ready at ${url}
${note === null ? '' : `\n${note.replace(/^/gm, '  ')}\n`}${agent === null ? '' : examples(url, header, agent)}`

const examples = (url: string, header: string, agent: string): string => `
  open:   ${url}
  watch:  curl -N ${url}/agents/${agent}/hello/stream${header}
  ask:    curl -X POST ${url}/agents/${agent}/hello${header} -H 'content-type: application/json' -d '{"prompt":"Hello"}'
  look:   curl ${url}/sessions/hello${header}
`

/** Names the variable, so that the token is not in the output. */
export const authorizationHint = (env: NodeJS.ProcessEnv): string => {
  const { from } = tokenFromEnv(env) ?? {}
  return from === undefined ? '' : bearer(`$${from}`)
}

/** The address of the docs page with a ticket that works once: a browser cannot send the token, and a token in a URL stays in its history. */
const pageFor = async (url: string, data: string): Promise<string | null> => {
  const { token } = readLocalServer(data) ?? {}
  const answer = await fetch(`${url}/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scopes: ['observe'] }),
  }).catch(() => null)
  if (answer?.status !== 201) return null
  const { ticket } = (await answer.json()) as { ticket: string }
  return `${url}/docs?ticket=${ticket}`
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
