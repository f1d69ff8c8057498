// The artifacts of a session and of the background sessions below it. One opens where it stands.
import type { ChatSession } from 'bridle/client'
import { bytesText, nameText } from 'bridle/words'
import { useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { showError } from '../../ui/toast.tsx'
import { useSession } from '../session-context.tsx'
import { ArtifactPreview } from './artifact-preview.tsx'

type Artifact = ChatSession['artifacts'][number]

export const Artifacts = () => {
  const { client } = useServer()
  const { id, agent, detail } = useSession()
  const [older, setOlder] = useState<readonly Artifact[]>([])
  const [isBusy, setBusy] = useState(false)
  const { artifacts, background_artifacts: below, health, earlierArtifacts = 0 } = detail
  if (artifacts.length + below.length === 0) return null
  const known = new Set(artifacts.map((artifact) => artifact.id))
  const all = [...artifacts, ...older.filter((artifact) => !known.has(artifact.id))]
  const left = earlierArtifacts - older.length
  const load = async (): Promise<void> => {
    setBusy(true)
    try {
      const before = all.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1))[0]?.event_id
      const page = await client.artifacts(id, { agent, ...(before !== undefined && { before }) })
      setOlder((loaded) => [...loaded, ...page.artifacts])
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="sec" aria-label="Artifacts">
      <h2>
        Artifacts<span className="t3">{Math.max(health.artifacts.count, all.length) + below.length}</span>
      </h2>
      <ul className="col small">
        {all.map((artifact) => (
          <ArtifactItem key={artifact.id} artifact={artifact} sessionId={id} agent={agent} />
        ))}
        {below.map((artifact) => (
          <ArtifactItem
            key={`${artifact.session_id} ${artifact.id}`}
            artifact={artifact}
            sessionId={artifact.session_id}
          />
        ))}
      </ul>
      {left > 0 && (
        <Button look="ghost" isBusy={isBusy} onClick={() => void load()}>
          {left} older
        </Button>
      )}
    </section>
  )
}

interface ArtifactItemProps {
  readonly artifact: Artifact
  readonly sessionId: string
  readonly agent?: string
}

const ArtifactItem = ({ artifact, sessionId, agent }: ArtifactItemProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <button type="button" className="row work-row open" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} />
        <span className="trunc">{visibleText(artifact.name)}</span>
        <span className="right t3 nowrap">
          {visibleText(nameText(artifact.kind))} · {bytesText(artifact.size)}
        </span>
      </button>
      {isOpen && <ArtifactPreview artifact={artifact} sessionId={sessionId} {...(agent !== undefined && { agent })} />}
    </li>
  )
}
