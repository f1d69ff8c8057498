// A file that the agent published, with the way to read it.
import { useState } from 'react'
import { useServer } from '../../../server/server-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { Code } from '../../../ui/code.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { showError } from '../../../ui/toast.tsx'
import { useThreadSource } from '../thread-context.tsx'

export const ArtifactRow = ({ artifactId, name }: { readonly artifactId: string; readonly name: string }) => {
  const { client } = useServer()
  const { id, agent } = useThreadSource()
  const [content, setContent] = useState<string | null>(null)
  const toggle = async (): Promise<void> => {
    if (content !== null) return setContent(null)
    try {
      setContent(await (await client.artifact(id, artifactId, agent)).text())
    } catch (error) {
      showError(error)
    }
  }
  return (
    <div className="tools">
      <div className="receipt">
        <Icon name="package" size={14} />
        <span className="trunc">
          <b className="medium">Artifact</b> · <code>{visibleText(name)}</code>
        </span>
        <span className="right">
          <Button look="ghost" onClick={() => void toggle()}>
            {content === null ? 'Show' : 'Hide'}
          </Button>
        </span>
      </div>
      {content !== null && <Code label={visibleText(name)} text={content} />}
    </div>
  )
}
