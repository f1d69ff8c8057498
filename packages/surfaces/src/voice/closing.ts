import type { VoiceFault } from '@bridle/kernel/ports/voice'
import type { VoiceError } from '@bridle/wire/voice/wire'
import { type Denial, toCloseFrame } from '../http/denials/denial.ts'
import { type CloseReason, CLOSE as EVERY_CLOSE } from '../http/streams/session-socket.ts'
import { type SocketOpener, sayAndClose } from '../http/streams/socket-route.ts'

/** Clients reconnect after all of them except 1008 and 4004. */
export const CLOSE = {
  ...EVERY_CLOSE,
  lost: [1013, 'The line was lost: reconnect later.'],
  refused: [1008, 'The line was refused.'],
  flood: [1008, 'Too much audio.'],
} as const

export const closeAfter = ({ code }: VoiceFault): CloseReason => (PASSING_FAULTS.has(code) ? CLOSE.lost : CLOSE.refused)

/** Transient. After any other fault, the client has to change something first. */
const PASSING_FAULTS = new Set(['provider_lost', 'unavailable'])

export const unavailable: VoiceFault = { code: 'unavailable', message: 'The session is not available; try again.' }
export const audioFlood: VoiceFault = {
  code: 'audio_flood',
  message: 'The audio came much faster than it was spoken. Send it in real time, in frames of 20 ms or more.',
}
export const noVoice: VoiceFault = {
  code: 'no_voice',
  message: 'This server has no voice lines.',
}

/** Opens the socket to say why, because browsers hide the status of a refused upgrade. */
export const refuseLine = ({ code, message }: VoiceFault, reason: CloseReason): SocketOpener =>
  sayAndClose(JSON.stringify({ type: 'error', code, message } satisfies VoiceError), reason)

/** A client that sent an invalid request must not retry. */
export const refuseDenied = (denial: Denial): SocketOpener => {
  const { code, reason } = toCloseFrame(denial)
  const isWrong = denial.denied === 'bad_request' || denial.denied === 'conflict'
  return refuseLine({ code: denial.denied, message: denial.message }, isWrong ? CLOSE.refused : [code, reason])
}
