// An engine under test, and a shell that sends it messages.

import type { ResponseMessage } from '@bridle/wire/openharness/wire'
import type { AppOptions } from '../app.ts'
import { type TestReply, type TestRunner, testApp } from '../http/test-app.suite.ts'

export const JSON_TYPE = { 'content-type': 'application/json' }

export interface EngineReply extends Omit<TestReply, 'body'> {
  readonly body: ResponseMessage
}

/** The intent that has the scripted agent play these steps. */
export const script = (...steps: readonly unknown[]): string => `@script ${JSON.stringify(steps)}`

/** A message with this context, and with these fields beside the request. */
export const messageOf = (context: object, more: object = {}, payload: object = {}): object => ({
  protocol_version: '1.0.0',
  request: { context, ...payload },
  ...more,
})

export const testEngine = (
  options: Partial<AppOptions> = {},
  runners: { readonly [name: string]: TestRunner } = {},
) => {
  const app = testApp(options, runners)
  const send = async (message: unknown, headers: Record<string, string> = {}, path = '/v1/openharness') =>
    (await app.post(path, message, { ...JSON_TYPE, ...headers })) as unknown as EngineReply
  return { ...app, send }
}

/** The parts of an answer that most tests compare. */
export const summaryOf = ({ status, body }: EngineReply): unknown[] => [
  status,
  body.response.error?.code ?? body.response.action_directives?.map(({ payload }) => payload?.text),
]
