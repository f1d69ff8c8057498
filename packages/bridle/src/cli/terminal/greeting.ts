// The first words of a server: where it is, and lines to try that work as they stand.

import { readLocalServer, tokenFile } from '../../targets/node/credentials/local-token.ts'
import type { HarnessServer } from '../../targets/node/index.ts'
import { type ServerSettings, tokenFromEnv } from '../config/settings.ts'

/** The header of a caller; `token` is what a shell makes the token of. */
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
  The token is in ${file}; bridle run, attach, sessions and the others find it there.
${page === null ? '' : `  In a browser, once and within 30 seconds: ${page}\n`}`
}

interface AgentHint {
  /** An agent that callers may ask; null = none. */
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
  watch:  curl -N ${url}/agents/${agent}/hello/stream${header}
  ask:    curl -X POST ${url}/agents/${agent}/hello${header} -H 'content-type: application/json' -d '{"prompt":"Hello"}'
  look:   curl ${url}/sessions/hello${header}
`

/** Naming the variable keeps the token itself out of the output. */
export const authorizationHint = (env: NodeJS.ProcessEnv): string => {
  const { from } = tokenFromEnv(env) ?? {}
  return from === undefined ? '' : bearer(`$${from}`)
}

/** A browser cannot send the token, and a token in a URL stays in its history: the address has a ticket that reads this page once. */
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
