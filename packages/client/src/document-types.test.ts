// A program that has the types of the transport's document, word for word, can take ours for them.

import type { ServerMessage as OurServerMessage } from '@bridle/wire/transport/wire'
import { expectTypeOf, test } from 'vitest'
import type { DeltaOperation as OurOperation, HarnessState as OurState } from './index.ts'

type JSONValue = null | boolean | number | string | JSONValue[] | { [key: string]: JSONValue }

type HarnessCommand = { type: 'submit'; prompt: string } | { type: 'cancel' }
type ClientMessage = { type: 'commands'; commands: HarnessCommand[] }

type ServerMessage =
  | { type: 'state'; state: HarnessState }
  | { type: 'delta'; operations: DeltaOperation[] }
  | { type: 'error'; message: string }

type DeltaOperation =
  | { type: 'set'; path: string[]; value: JSONValue }
  | { type: 'append-text'; path: string[]; value: string }

type HarnessState = {
  status: 'idle' | 'running' | 'error'
  messages: HarnessMessage[]
  error?: string
}

type HarnessMessage = {
  id: string
  role: 'user' | 'assistant'
  content: string
  status: 'pending' | 'streaming' | 'complete' | 'error'
  toolCalls?: HarnessToolCall[]
}

type HarnessToolCall = {
  id: string
  name: string
  status: 'running' | 'complete' | 'error'
}

test('[T24] our types are the document’s, with more in them', () => {
  expectTypeOf<OurState>().toExtend<HarnessState>()
  expectTypeOf<OurOperation>().toExtend<DeltaOperation>()
  type DocumentMessage = Extract<OurServerMessage, { type: ServerMessage['type'] }>
  expectTypeOf<DocumentMessage>().toExtend<ServerMessage>()
})

test('what a program sends by the document’s types is ours', () => {
  expectTypeOf<ClientMessage>().toExtend<import('@bridle/wire/transport/wire').ClientMessage>()
  expectTypeOf<HarnessState>().toExtend<OurState>()
})
