// Helpers of this surface's tests: they read envelopes from a stream, and bring sessions to a status.

import type { StreamEnvelope } from '@bridle/wire/frontend/wire'
import type { testApp } from '../http/test-app.suite.ts'
import { collectFrames } from '../http/test-client.suite.ts'

type TestApp = ReturnType<typeof testApp>

export interface EnvelopeFrame {
  readonly id: string | null
  readonly data: StreamEnvelope & { readonly payload: Record<string, unknown> }
  readonly raw: string
}

export const scriptPrompt = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`

/** Reads a stream until `enough`, or to its end where there is none. */
export const readEnvelopes = async (
  { app }: TestApp,
  path: string,
  enough: (frames: readonly EnvelopeFrame[]) => boolean = () => false,
  init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<EnvelopeFrame[]> => {
  const { method = 'GET', body, headers = {} } = init
  const request = new Request(`http://127.0.0.1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const response = await app.fetch(request)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw new Error(await response.text())
  return collectFrames<EnvelopeFrame>(response, [], enough)
}

export const envelopeTypes = (frames: readonly EnvelopeFrame[]): string[] => frames.map(({ data }) => data.type)
export const hasType =
  (type: string, times = 1) =>
  (frames: readonly EnvelopeFrame[]): boolean =>
    frames.filter(({ data }) => data.type === type).length >= times

/** A background session, once `until` holds of its detail. */
export const startedSession = async (
  it: TestApp,
  body: Record<string, unknown>,
  until: (detail: Record<string, unknown>) => boolean,
): Promise<string> => {
  const { status, body: answer } = await it.post('/sessions', { engine: 'scripted', ...body })
  if (status !== 202) throw new Error(JSON.stringify(answer))
  await waitForDetail(it, String(answer.session_id), until)
  return String(answer.session_id)
}

export const waitForDetail = async (
  it: TestApp,
  id: string,
  until: (detail: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> => {
  for (let tries = 0; tries < 2_000; tries++) {
    const { body } = await it.get(`/sessions/${id}`)
    if (until(body)) return body
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error(`It never came to that: ${JSON.stringify((await it.get(`/sessions/${id}`)).body)}`)
}

export const isStatus =
  (...statuses: string[]) =>
  ({ status }: Record<string, unknown>): boolean =>
    statuses.includes(String(status))
