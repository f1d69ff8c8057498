// The first words of a server: where it is, and lines to try that work as they stand.
import { publishedServer, tokenFile } from '../targets/local-token.ts'
import { type ServerSettings, tokenOf } from './settings.ts'

/** The header of a caller; `token` is what a shell makes the token of. */
const bearer = (token: string): string => ` -H "authorization: Bearer ${token}"`

export const greeting = async (
  url: string,
  { data, keepToken = false }: Pick<ServerSettings, 'data' | 'keepToken'>,
  env: NodeJS.ProcessEnv,
): Promise<string> => {
  if (!keepToken) return banner(url, envHeader(env))
  const file = tokenFile(data)
  const page = await pageFor(url, data)
  return `${banner(url, bearer(`$(cat ${quoted(file)})`))}
  The token is in ${file}; bridle run, attach, sessions and the others find it there.
${page === null ? '' : `  In a browser, once and within 30 seconds: ${page}\n`}`
}

export const banner = (url: string, header: string): string => `Bridle is ready at ${url}

  watch:  curl -N ${url}/agents/scripted/hello/stream${header}
  ask:    curl -X POST ${url}/agents/scripted/hello${header} -H 'content-type: application/json' -d '{"prompt":"Hello"}'
  look:   curl ${url}/sessions/hello${header}
`

/** Naming the variable keeps the token itself out of the output. */
export const envHeader = (env: NodeJS.ProcessEnv): string => {
  const { from } = tokenOf(env) ?? {}
  return from === undefined ? '' : bearer(`$${from}`)
}

/** A browser cannot send the token, and a token in a URL stays in its history: the address has a ticket that reads this page once. */
const pageFor = async (url: string, data: string): Promise<string | null> => {
  const { token } = publishedServer(data) ?? {}
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
