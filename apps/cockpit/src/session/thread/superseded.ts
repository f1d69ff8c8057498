// The parts of an answer that a retry or a crash replaced. They were shown once, so they stay readable.
import type { HarnessMessage, HarnessToolCall } from 'bridle/client'

interface SupersededParts {
  readonly texts: readonly string[]
  readonly calls: readonly HarnessToolCall[]
}

const none: SupersededParts = { texts: [], calls: [] }

export const supersededOf = ({ parts, toolCalls }: HarnessMessage): SupersededParts => {
  const calls = toolCalls?.filter((call) => call.superseded) ?? []
  const texts = parts?.flatMap((part) =>
    (part.type === 'text' || part.type === 'reasoning') && 'superseded' in part && part.superseded && 'text' in part
      ? [part.text]
      : [],
  )
  return texts?.length || calls.length > 0 ? { texts: texts ?? [], calls } : none
}
