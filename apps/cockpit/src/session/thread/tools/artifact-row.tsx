// A file that the agent published, with the way to read it.
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { ArtifactPreview } from '../../background/artifact-preview.tsx'
import { useThreadSource } from '../thread-context.tsx'

export const ArtifactRow = ({ artifactId, name }: { readonly artifactId: string; readonly name: string }) => {
  const { id, agent } = useThreadSource()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="tools">
      <div className="receipt">
        <Icon name="package" size={14} />
        <span className="trunc">
          <b className="medium">Artifact</b> · <code>{visibleText(name)}</code>
        </span>
        <span className="right">
          <Button look="ghost" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </span>
      </div>
      {isOpen && <ArtifactPreview artifact={{ id: artifactId, name }} sessionId={id} agent={agent} />}
    </div>
  )
}
