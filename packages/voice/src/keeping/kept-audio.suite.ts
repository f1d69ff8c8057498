// Shared by the tests of kept audio: the artifacts of a session as files.
import type { Artifact } from '@bridle/kernel/projections/indexes/artifacts'
import type { Session } from '@bridle/kernel/session/session'

export interface KeptAudio {
  readonly role: 'user' | 'assistant'
  /** The words of its message. */
  readonly words: string
  readonly ms: number
  readonly isCut: boolean
  readonly sampleRate: number
  /** The samples, as bytes. */
  readonly data: Buffer
}

/** The spoken audio of a session, oldest first. */
export const keptAudio = async (session: Session): Promise<readonly KeptAudio[]> => {
  const kept: KeptAudio[] = []
  for (const artifact of session.state.artifacts.latest)
    if (artifact.speech) kept.push(await readAudio(session, artifact))
  return kept
}

const readAudio = async (session: Session, artifact: Artifact): Promise<KeptAudio> => {
  const { speech, firstChunkSeq, seq, size } = artifact
  const chunks: Buffer[] = []
  for (let at = firstChunkSeq; at < seq; at++) chunks.push(Buffer.from(await session.readChunkText(at), 'base64'))
  const file = Buffer.concat(chunks)
  if (file.length !== size) throw new Error(`${artifact.id} has ${file.length} bytes of ${size}`)
  const message = session.state.conversation.messages.find(({ id }) => id === speech?.messageId)
  return {
    role: speech?.role ?? 'user',
    words: message?.content ?? '',
    ms: speech?.audioMs ?? 0,
    isCut: speech?.isCut ?? false,
    ...wavContent(file),
  }
}

/** Throws where the file is no whole WAV file. */
export const wavContent = (file: Buffer): Pick<KeptAudio, 'sampleRate' | 'data'> => {
  const isWhole = file.readUInt32LE(4) === file.length - 8 && file.readUInt32LE(40) === file.length - 44
  if (file.toString('latin1', 0, 4) !== 'RIFF' || !isWhole) throw new Error('no whole WAV file')
  return { sampleRate: file.readUInt32LE(24), data: file.subarray(44) }
}

/** A session that asks for audio. */
export const ASKING = { settings: { voice: { keep_audio: true } } } as const
