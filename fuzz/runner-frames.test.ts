// A runner is hostile: its stream is cut anywhere, its frames are made from their schemas and then corrupted. The
// reader returns only events that fit the schemas; anything else is an error that ends the run.

import { runnerEventSchemas } from '@bridle/runners/protocol/protocol'
import { readRunnerFrames } from '@bridle/runners/remote/runner-frames'
import { translateEvent } from '@bridle/runners/remote/translation'
import { toJsonSchema } from '@valibot/to-json-schema'
import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { bodyText, HOSTILE_WORDS } from './hostile.ts'
import { anyText, type JsonSchema } from './json-schema.ts'
import { expectPrototypesUnchanged } from './promises.ts'

const words = ['a', 'call', 'Write', 'ok', ...HOSTILE_WORDS]
const types = Object.keys(runnerEventSchemas) as (keyof typeof runnerEventSchemas)[]

const dataOf = (type: keyof typeof runnerEventSchemas) => {
  const {
    properties,
    required = [],
    ...rest
  } = toJsonSchema(runnerEventSchemas[type] as v.GenericSchema, {
    errorMode: 'ignore',
    typeMode: 'input',
  }) as JsonSchema
  const schema = { ...rest, properties: { type: { const: type }, ...properties }, required: ['type', ...required] }
  return bodyText(schema, words)
}
const data = fc.oneof(...types.map(dataOf))
const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\r')
const frame = fc
  .tuple(data, fc.constantFrom('id: 1', 'id: 99999999999999999999', 'id: -1', 'id', ': beat', 'event: x', ''), lineEnd)
  .map(([content, head, end]) => `${head}${end}data: ${content}${end}${end}`)
const stream = fc
  .tuple(fc.array(frame, { minLength: 1, maxLength: 4 }), anyText)
  .map(([frames, rest]) => new TextEncoder().encode(frames.join('') + rest))

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** The frames that were read, and whether the stream was refused in the end. */
const read = async (bytes: Uint8Array, size: number) => {
  const frames: string[] = []
  try {
    for await (const each of readRunnerFrames(inPieces(bytes, size))) {
      expect(v.safeParse(runnerEventSchemas[each.event.type] as v.GenericSchema, each.event).success).toBe(true)
      expect(each.id === null || Number.isInteger(each.id)).toBe(true)
      const items = await translateEvent(each.event, { toolNames: new Map() }, async (text) => text.slice(0, 8))
      expect(JSON.parse(JSON.stringify(items))).toHaveLength(items.length)
      // As text: comparing values goes as deep as they do.
      frames.push(JSON.stringify(each.event))
    }
    return { frames, isRefused: false }
  } catch (error) {
    // The assertions above are no refusals.
    if (!(error instanceof Error) || error.name === 'AssertionError') throw error
    return { frames, isRefused: true }
  }
}

test('a stream is read the same however it is cut, and yields only events that the schemas have', async () => {
  await holdsForAll(fc.tuple(stream, fc.integer({ min: 1, max: 400 })), async ([bytes, size]) => {
    // The largest inputs are cut into fewer pieces, which keeps the test short.
    const piece = Math.max(size, Math.ceil(bytes.length / 500))
    expect(await read(bytes, piece)).toEqual(await read(bytes, bytes.length))
    expectPrototypesUnchanged()
  })
})
