import { nativeIdentity } from '@bridle/agents/in-process/engine-identities'
import type { JsonObject } from '@bridle/events/json'
import { readLocalServer, tokenFile } from '@bridle/server/node/credentials/local-token'
import type { HarnessServer } from '@bridle/server/node/index'
import { commandName } from '../command/command-name.ts'
import { shellWord } from '../command/shell-word.ts'
import { behindLabel, wrapWords } from '../terminal/text-lines.ts'
import { DEFAULT_DATA } from './default-data.ts'
import { reachableUrl } from './local-server.ts'
import { DEFAULT_URL } from './server-url.ts'
import { type ServerSettings, tokenFromEnv } from './settings.ts'

/** The longest label with padding. */
const LABEL_COLUMNS = 12

/** A curl header. `token` is a shell expression. */
const bearer = (token: string): string => ` -H "authorization: Bearer ${token}"`

export const startMessage = async (
  server: Pick<HarnessServer, 'url' | 'openAgent' | 'openAgents' | 'exposureNote' | 'agents' | 'hasCockpit'>,
  settings: Pick<ServerSettings, 'data' | 'keepToken' | 'authToken' | 'tokens' | 'cockpit'>,
  env: NodeJS.ProcessEnv,
  width: number,
): Promise<string> => {
  const { url, openAgent, openAgents, exposureNote: note, agents, hasCockpit } = server
  const { data, keepToken = false, authToken, tokens = [] } = settings
  const own = [...agents.values()].filter(isOwn)
  const ready = own.find(({ needs, inputSchema }) => needs === null && takesPrompt(inputSchema?.() ?? null))
  // In production, agents may be private.
  const agent = note === null ? (ready?.name ?? openAgent) : openAgent
  // The note about production lists the private agents.
  const isListed = ({ name, needs }: ServedAgent) => needs !== null || openAgents.includes(name)
  const serves = {
    agents: [...own, ...[...agents.values()].filter((each) => !isOwn(each))].filter(isListed),
    hasCockpit,
  }
  // A project folder may replace the cockpit.
  const page = typeof settings.cockpit === 'string' ? 'page' : 'cockpit'
  const isClosed = keepToken || authToken !== undefined || tokens.length > 0
  // Commands look for a token in the environment and the data folder, not in the settings file.
  const tokenSetting = isClosed && !keepToken && authorizationHint(env) === '' ? 'FABRIC_HARNESS_API_TOKEN=… ' : ''
  const hint = { agent, note, tokenSetting, command: commandName(env), width, page, isClosed, ...serves } as const
  if (!keepToken) return readyMessage(url, authorizationHint(env) || (isClosed ? bearer('$TOKEN') : ''), hint)
  const file = tokenFile(data)
  const docsPage = await pageFor(url, data)
  const dataFlag = data === DEFAULT_DATA ? '' : ` --data ${shellWord(data)}`
  return `${readyMessage(url, bearer(`$(cat ${shellWord(file)})`), { ...hint, dataFlag })}
${indented(tokenText(file, reachableUrl(url), hint.command, dataFlag), width)}
${docsPage === null ? '' : `  In a browser, to read about the routes once, within 30 seconds: ${docsPage}\n`}`
}

export const tokenText = (file: string, url: string, command: string, dataFlag: string): string => {
  const verbs = `${command} run, attach, sessions and the others`
  const how = dataFlag === '' ? 'find it there' : `find it with${dataFlag}`
  return `The token is in ${file}; ${verbs} ${how}, and the page at ${url} asks for it.`
}

const indented = (text: string, width: number): string =>
  wrapWords(text, width - 2)
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')

type ServedAgent = HarnessServer['agents'] extends ReadonlyMap<string, infer A> ? A : never

const isOwn = ({ name, engine, isDefault = false }: ServedAgent): boolean =>
  !isDefault && (engine === nativeIdentity.engine || engine !== name)

const takesPrompt = (schema: JsonObject | null): boolean => {
  const { required = [] } = (schema ?? {}) as { required?: readonly unknown[] }
  return required.every((name) => name === 'prompt')
}

export interface ReadyHint {
  readonly agent: string | null
  readonly note: string | null
  readonly command: string
  readonly width: number
  readonly agents: readonly { readonly name: string; readonly needs: string | null }[]
  readonly hasCockpit: boolean
  readonly page?: 'cockpit' | 'page'
  readonly isClosed?: boolean
  /** Variable assignment that passes the token to the command, or ''. */
  readonly tokenSetting?: string
  readonly dataFlag?: string
}

export const readyMessage = (listening: string, header: string, hint: ReadyHint): string => {
  const { agent, note, command, width, agents, hasCockpit, page = 'cockpit', isClosed = false } = hint
  const { dataFlag = '', tokenSetting = '' } = hint
  const url = reachableUrl(listening)
  // A browser cannot send a token to /docs, so point to the cockpit's page, which asks for it. curl would get nothing
  // from that page.
  const docs: (readonly [label: string, text: string])[] =
    isClosed && hasCockpit && page === 'cockpit'
      ? [
          ['docs', `${url}/routes in a browser`],
          ['', `${url}/docs for curl, with the token`],
        ]
      : [['docs', `${url}/docs`]]
  const available = agents.filter(({ needs }) => needs === null).map(({ name }) => name)
  const rows: (readonly [label: string, text: string])[] = [
    ...(hasCockpit ? [[page, url] as const] : []),
    ...docs,
    ...(available.length > 0 ? [['agents', available.join(', ')] as const] : []),
    ...agents.flatMap(({ name, needs }) =>
      needs === null ? [] : [['', `${name} is not available: ${needs}`] as const],
    ),
  ]
  const body = `{"prompt":"Hello"}`
  const tries =
    agent === null
      ? []
      : [
          `  try       ${tokenSetting}${command} run ${agent} Hello${urlFlag(url)}${dataFlag}`,
          `  or        curl ${url}/agents/${agent}/hello --json '${body}'${header}`,
        ]
  return [
    `Bridle is ready at ${listening}`,
    '',
    ...(note === null ? [] : [...note.split('\n').map((line) => indented(line, width)), '']),
    ...rows.flatMap(([label, text]) => labelled(label, text, width)),
    ...tries,
    '',
  ].join('\n')
}

export const urlFlag = (url: string): string => (url === DEFAULT_URL ? '' : ` --url ${url}`)

const labelled = (label: string, text: string, width: number): string[] =>
  behindLabel(`  ${label}`.padEnd(LABEL_COLUMNS), wrapWords(text, width - LABEL_COLUMNS))

/** Refers to the variable, so that the token is not printed. */
export const authorizationHint = (env: NodeJS.ProcessEnv): string => {
  const { from } = tokenFromEnv(env) ?? {}
  return from === undefined ? '' : bearer(`$${from}`)
}

/** The docs page with a single-use ticket. Browsers cannot send the token, and in a URL it would stay in the history. */
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
