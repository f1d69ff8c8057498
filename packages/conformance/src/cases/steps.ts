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

export const run = (script: readonly unknown[], answer: AnswerPattern, headers?: Headers): CaseStep => ({
  ask: { method: 'POST', path: invoke, script, ...(headers && { headers }) },
  answer,
})

export const begin = (name: string, script: readonly unknown[]): CaseStep => ({
  begin: name,
  ask: { method: 'POST', path: invoke, script },
})

/** Reads the session's events, or the stream at `path`. */
export const stream = (
  name: string,
  until: string,
  { path = `${invoke}/stream`, ...more }: Pick<StreamStep, 'types' | 'last'> & { readonly path?: string } = {},
): CaseStep => ({ stream: name, ask: { path }, until, ...more })

export const buyTicket = (name: string, body: object = {}, token = 'right'): CaseStep =>
  post('/tickets', body, shows({ ticket: { $save: name } }, 201), bearer(token))

export const hear = (socket: string, message: Pattern): CaseStep => ({ hear: socket, message })
export const tell = (socket: string, message: object): CaseStep => ({ say: socket, message })

export const greeted = (open: string, path: string, type: string, headers?: Headers): CaseSteps => [
  { open, path, ...(headers && { headers }) },
  hear(open, { type }),
]

export const exchange = (ask: CaseRequest, answer: AnswerPattern): CaseStep => ({ ask, answer })

export const status = (code: number): AnswerPattern => ({ status: code })
export const ok = status(200)
export const shows = (body: Pattern, code = 200): AnswerPattern => ({ status: code, body })
export const refusal = (code: number, type: string): AnswerPattern => shows({ error: { type } }, code)

export const script = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`

export const say = (text: string) => [{ text }]
