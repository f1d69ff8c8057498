// The cases, the steps and the answers that most pages are made of.
import type {
  AnswerPattern,
  CaseRequest,
  CaseServerName,
  CaseStep,
  ConformanceCase,
  Pattern,
  StreamStep,
} from '../case.ts'

export type CaseSteps = readonly CaseStep[]
export const caseOf = (name: string, steps: CaseSteps): ConformanceCase => ({ name, steps })
export const caseOn = (server: CaseServerName, name: string, steps: CaseSteps): ConformanceCase => ({
  name,
  server,
  steps,
})

export const invoke = '/agents/scripted/{s}'

type Headers = NonNullable<CaseRequest['headers']>

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

export const get = (path: string, answer: AnswerPattern, headers?: Headers): CaseStep => ({
  ask: { path, ...(headers && { headers }) },
  answer,
})

export const post = (path: string, body: unknown, answer: AnswerPattern, headers?: Headers): CaseStep => ({
  ask: { method: 'POST', path, body, ...(headers && { headers }) },
  answer,
})

export const remove = (path: string, answer: AnswerPattern): CaseStep => ({ ask: { method: 'DELETE', path }, answer })

/** A run of the scripted agent, to its end. */
export const run = (script: readonly unknown[], answer: AnswerPattern, headers?: Headers): CaseStep => ({
  ask: { method: 'POST', path: invoke, script, ...(headers && { headers }) },
  answer,
})

/** A run that a later `answered` waits for. */
export const begin = (name: string, script: readonly unknown[]): CaseStep => ({
  begin: name,
  ask: { method: 'POST', path: invoke, script },
})

/** The events of the case's session, or of the stream at `path`. */
export const stream = (
  name: string,
  until: string,
  { path = `${invoke}/stream`, ...more }: Pick<StreamStep, 'types' | 'last'> & { readonly path?: string } = {},
): CaseStep => ({ stream: name, ask: { path }, until, ...more })

/** A ticket for the bearer of the token; later steps use it as `{name}`. */
export const buyTicket = (name: string, body: object = {}, token = 'right'): CaseStep =>
  post('/tickets', body, shows({ ticket: { $save: name } }, 201), bearer(token))

export const hear = (socket: string, message: Pattern): CaseStep => ({ hear: socket, message })
export const tell = (socket: string, message: object): CaseStep => ({ say: socket, message })

/** A socket, opened and read up to its first message of this type. */
export const greeted = (open: string, path: string, type: string, headers?: Headers): CaseSteps => [
  { open, path, ...(headers && { headers }) },
  hear(open, { type }),
]

export const exchange = (ask: CaseRequest, answer: AnswerPattern): CaseStep => ({ ask, answer })

export const status = (code: number): AnswerPattern => ({ status: code })
export const ok = status(200)
export const shows = (body: Pattern, code = 200): AnswerPattern => ({ status: code, body })
export const refusal = (code: number, type: string): AnswerPattern => shows({ error: { type } }, code)

/** The prompt that makes the scripted agent play these steps. */
export const script = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`

export const say = (text: string) => [{ text }]
