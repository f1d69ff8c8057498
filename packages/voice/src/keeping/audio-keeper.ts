// Stores audio as session artifacts, one file at a time, yielding to live audio.
import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import { keepsAudio } from '@bridle/kernel/rules/spoken-audio'
import { encodeBase64 } from '@bridle/kernel/text/base64'
import type { LinePorts } from '../engine.ts'
import { AudioClip, type AudioFile } from './audio-clip.ts'

/** A megabyte as base64, which every store accepts as a row. A multiple of three, so no padding in between. */
const KEPT_CHUNK_BYTES = 749_997

export class AudioKeeper {
  readonly #request: VoiceRequest
  readonly #ports: LinePorts
  #last: Promise<unknown> = Promise.resolve()

  private constructor(request: VoiceRequest, ports: LinePorts) {
    this.#request = request
    this.#ports = ports
  }

  /** Null if the session does not keep audio. */
  static of(request: VoiceRequest, ports: LinePorts): AudioKeeper | null {
    return keepsAudio(request.session.state) ? new AudioKeeper(request, ports) : null
  }

  clip(): AudioClip {
    return new AudioClip(this.#request.format)
  }

  /** Best effort: the words are already in the log. */
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
