import type { LogEntry } from 'bridle/history'
import { expect, test } from 'vitest'
import { replayClient } from './replay-client.ts'

const entry = (seq: number, type: string, payload: LogEntry['payload']): LogEntry => ({ seq, at: seq, type, payload })

const client = replayClient([
  entry(1, 'artifact_chunk', { artifact_id: 'notes', index: 0, text: '# No' }),
  entry(2, 'artifact_chunk', { artifact_id: 'sound', index: 0, text: 'AAEC' }),
  entry(3, 'artifact_chunk', { artifact_id: 'notes', index: 1, text: 'tes' }),
  entry(4, 'artifact_published', { artifact_id: 'notes', name: 'notes.md', content_type: 'text/markdown' }),
  entry(5, 'artifact_chunk', { artifact_id: 'sound', index: 1, text: 'not base64!' }),
  entry(6, 'artifact_published', { artifact_id: 'sound', content_type: 'audio/wav', encoding: 'base64' }),
])

test('[C41] artifacts of a replay come from its file', async () => {
  const notes = await (await client.artifact('s', 'notes')).blob()
  expect([notes.type, await notes.text()]).toEqual(['text/markdown', '# Notes'])
  const sound = await (await client.artifact('s', 'sound')).blob()
  expect([sound.type, [...new Uint8Array(await sound.arrayBuffer())]]).toEqual(['audio/wav', [0, 1, 2]])
})

test('[C41] everything else that a server would answer is refused', async () => {
  await expect(client.artifact('s', 'unknown')).rejects.toThrow('not in the file')
  await expect(client.pause('s')).rejects.toThrow('not in the file')
  await expect(client.workspace('s')).rejects.toThrow('not in the file')
})
