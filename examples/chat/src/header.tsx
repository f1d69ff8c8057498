// How things stand: the connection to the server, and the session on it.
import { useSession } from './client.tsx'

export const Header = () => {
  const { connection, state } = useSession()
  const status = state.sessionStatus ?? state.status
  return (
    <header className="header">
      <h1>Bridle chat</h1>
      <Pill kind="Connection" tone={tones[connection.phase]} text={phases[connection.phase]} />
      <Pill kind="Session" tone={statusTones[status] ?? 'quiet'} text={status.replaceAll('_', ' ')} />
    </header>
  )
}

type PillTone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet'

const Pill = ({ kind, tone, text }: { kind: string; tone: PillTone; text: string }) => (
  <span className="pill" data-tone={tone} role="status" aria-label={kind}>
    {text}
  </span>
)

const phases = { connecting: 'connecting', open: 'live', reconnecting: 'reconnecting', closed: 'closed' } as const
const tones = { connecting: 'busy', open: 'good', reconnecting: 'warn', closed: 'bad' } as const
const statusTones: Record<string, PillTone> = {
  running: 'busy',
  queued: 'busy',
  recovering: 'busy',
  awaiting_approval: 'warn',
  paused: 'warn',
  failed: 'bad',
  error: 'bad',
}
