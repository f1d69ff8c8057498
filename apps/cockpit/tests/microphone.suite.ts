// A microphone that hears a recorded voice, for pages that are spoken with.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { needs } from '../../../scripts/needs.ts'

/** Arguments of the browser; null: the machine has no voice. */
export const recordedMicrophone = (words: string): readonly string[] | null => {
  if (needs('espeak-ng') !== null) return null
  const folder = mkdtempSync(join(tmpdir(), 'bridle-voice-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const speech = join(folder, 'speech.wav')
  writeFileSync(speech, withPause(execFileSync('espeak-ng', ['--stdout', '-s', '140', words])))
  return [
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${speech}`,
    '--autoplay-policy=no-user-gesture-required',
  ]
}

/** The browser plays the file again and again: a pause ends each turn. */
const withPause = (wav: Buffer): Buffer => {
  const header = Buffer.from(wav.subarray(0, 44))
  const audio = Buffer.concat([wav.subarray(44), Buffer.alloc(2 * header.readUInt32LE(24) * 2)])
  header.writeUInt32LE(36 + audio.length, 4)
  header.writeUInt32LE(audio.length, 40)
  return Buffer.concat([header, audio])
}
