// Keeps the audio of a line as artifacts of its session: one file after the other, and never while audio waits to be passed on.
import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import { keepsAudio } from '@bridle/kernel/rules/spoken-audio'
import { encodeBase64 } from '@bridle/kernel/text/base64'
import type { LinePorts } from '../engine.ts'
import { AudioClip, type AudioFile } from './audio-clip.ts'

/** Bytes of a chunk: as base64 they are a megabyte, which every store takes as a row, and no group of three is split. */
const KEPT_CHUNK_BYTES = 749_997

export class AudioKeeper {
  readonly #request: VoiceRequest
  readonly #ports: LinePorts
  #last: Promise<unknown> = Promise.resolve()

  private constructor(request: VoiceRequest, ports: LinePorts) {
    this.#request = request
    this.#ports = ports
  }

  /** Null: the session does not ask for audio, and nothing of it is recorded. */
  static of(request: VoiceRequest, ports: LinePorts): AudioKeeper | null {
    return keepsAudio(request.session.state) ? new AudioKeeper(request, ports) : null
  }

  clip(): AudioClip {
    return new AudioClip(this.#request.format)
  }

  /** Words are in the log already. Audio that cannot be kept is missing, and nobody has to say anything again. */
  keep(runId: string, role: 'user' | 'assistant', file: () => AudioFile | null): void {
    this.#last = this.#last
      .then(() => new Promise<void>((resolve) => this.#ports.clock.after(0, resolve)))
      .then(() => this.#send(runId, role, file()))
      .catch(() => {})
  }

  async #send(runId: string, role: 'user' | 'assistant', file: AudioFile | null): Promise<void> {
    if (!file) return
    const { bytes, audioMs, isCut } = file
    const chunks: string[] = []
    for (let at = 0; at < bytes.length; at += KEPT_CHUNK_BYTES)
      chunks.push(encodeBase64(bytes.subarray(at, at + KEPT_CHUNK_BYTES)))
    await this.#ports.send(this.#request.key, {
      ...{ type: 'keep_audio', runId, role, chunks, size: bytes.length, audioMs },
      ...(isCut && { isCut: true }),
    })
  }
}
