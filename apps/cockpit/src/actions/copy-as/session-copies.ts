// The things of a session that can be had outside the page, as lines for a shell: each as a request, and where the command line has a verb for it, as
// that.

import { approvalBrief } from '../../approval/approval-words.ts'
import type { CardApproval } from '../../approval/card-approval.ts'
import { commandText } from './command-text.ts'
import { type CurlRequest, curlText } from './curl.ts'

interface CopiedSession {
  readonly id: string
  readonly agent: string
}

interface CopyServer {
  readonly serverUrl: string
  readonly hasToken: boolean
  readonly tenantId: string | undefined
}

export interface SessionCopy {
  readonly words: string
  readonly detail?: string
  readonly text: string
}

interface CopyRow {
  readonly words: string
  readonly detail?: string
  readonly request: CurlRequest
  readonly isStream?: boolean
  /** The verb and its arguments after the session. */
  readonly command?: readonly [verb: string, ...words: string[]]
}

type CopiedApproval = Pick<CardApproval, 'id' | 'kind' | 'toolName' | 'questions' | 'schema' | 'default' | 'reason'>

const rowsOf = ({ id, agent }: CopiedSession, approvals: readonly CopiedApproval[]): readonly CopyRow[] => {
  const path = (rest: string, query: { readonly [name: string]: string } = {}): string =>
    `sessions/${encodeURIComponent(id)}${rest}?${new URLSearchParams({ agent, ...query })}`
  const get = (rest: string, query?: { readonly [name: string]: string }): CurlRequest => ({
    method: 'GET',
    path: path(rest, query),
  })
  const post = (rest: string, body: object = {}): CurlRequest => ({
    method: 'POST',
    path: path(rest),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [
    { words: 'Session', request: get('') },
    {
      words: 'Events as they come',
      request: get('/events/stream', { tier: 'debug' }),
      isStream: true,
      command: ['attach'],
    },
    { words: 'Log', request: get('/log') },
    { words: 'Export', request: get('/export'), command: ['export'] },
    { words: 'Health', request: get('/health') },
    { words: 'Pause', request: post('/pause') },
    { words: 'Resume', request: post('/resume') },
    { words: 'Stop', request: post('/cancel') },
    { words: 'Branch', request: { ...post(''), path: `chat/${path('/branch')}` } },
    { words: 'Archive', request: post('/archive') },
    ...approvals.flatMap((approval): CopyRow[] => {
      const detail = approvalBrief(approval)
      const path = `/approvals/${encodeURIComponent(approval.id)}`
      const isQuestion = approval.kind === 'question'
      return [
        isQuestion
          ? { words: 'Answer', detail, request: post(`${path}/answer`, answerExample(approval)) }
          : { words: 'Approve', detail, request: post(`${path}/approve`), command: ['approve', approval.id] },
        {
          words: isQuestion ? 'Decline' : 'Deny',
          detail,
          request: post(`${path}/reject`),
          command: ['reject', approval.id],
        },
      ]
    }),
  ]
}

/** A body to change: the default, else the first option of each question. */
const answerExample = ({ questions = [], schema, default: byDefault }: CopiedApproval): object => {
  if (schema) return { values: byDefault ?? {} }
  const answers = questions.map(({ id, options: [first] = [], multi_select: isMany }): [string, unknown] => {
    const label = first?.label ?? ''
    return [id, isMany ? [label] : label]
  })
  return { answers: byDefault ?? Object.fromEntries(answers) }
}

export const curlCopies = (
  session: CopiedSession,
  approvals: readonly CopiedApproval[],
  server: CopyServer,
): readonly SessionCopy[] =>
  rowsOf(session, approvals).map(({ words, detail, request, isStream = false }) => ({
    words,
    ...(detail !== undefined && { detail }),
    text: curlText(request, { ...server, isStream }),
  }))

export const commandCopies = (
  session: CopiedSession,
  approvals: readonly CopiedApproval[],
  server: CopyServer,
): readonly SessionCopy[] =>
  rowsOf(session, approvals).flatMap(({ words, detail, command }) => {
    if (!command) return []
    const [verb, ...rest] = command
    const text = commandText(verb, [session.id, ...rest], { agent: session.agent }, server)
    return [{ words, ...(detail !== undefined && { detail }), text }]
  })
