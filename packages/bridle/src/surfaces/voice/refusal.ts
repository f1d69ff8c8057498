// A line that is not opened. The socket opens to say why, since a browser shows its page no status of a refused upgrade.
import type { VoiceFault } from '../../kernel/ports/voice.ts'
import { type Denial, toCloseFrame } from '../http/router/denial.ts'
import type { SocketOpener } from '../http/streams/socket-route.ts'
import { CLOSE } from './closing.ts'
import type { VoiceError } from './wire.ts'

export const refuseLine =
  ({ code, message }: VoiceFault, [closeCode, reason]: readonly [number, string]): SocketOpener =>
  (socket) => {
    socket.send([JSON.stringify({ type: 'error', code, message } satisfies VoiceError)])
    socket.close(closeCode, reason)
    return { onMessage: () => {}, onAlive: () => {}, onSlow: () => {}, onClosed: () => {} }
  }

/** The denial of a caller. A client that asks for something wrong must not ask again and again. */
export const refuseDenied = (denial: Denial): SocketOpener => {
  const { code, reason } = toCloseFrame(denial)
  const isWrong = denial.denied === 'bad_request' || denial.denied === 'conflict'
  return refuseLine({ code: denial.denied, message: denial.message }, isWrong ? CLOSE.refused : [code, reason])
}
