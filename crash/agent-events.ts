// The fold of a reader of AgentEvents: the text of each prompt's answer.
import type { WireEvent } from './wire-client.ts'

export const agentTexts = (events: readonly WireEvent[]): string[] => {
  const texts = new Map<string, string>()
  let run = ''
  for (const { type, body } of events)
    if (type === 'prompt_start') {
      run = String(body.data?.runId)
      texts.set(run, '')
    } else if (type === 'text_delta') texts.set(run, `${texts.get(run)}${body.data?.delta}`)
    else if (type === 'text_superseded') texts.set(run, String(texts.get(run)).slice(0, Number(body.data?.chars)))
  return [...texts.values()]
}

export const agentApprovals = (events: readonly WireEvent[]): string[] =>
  events.flatMap(({ body }) => body.data?.approvalId ?? [])
