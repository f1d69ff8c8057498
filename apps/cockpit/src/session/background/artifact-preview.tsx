// An artifact by its type: JSON in order, a picture as a picture, audio with a player, text as text, anything else as a file to save.

import { bytesText } from 'bridle/words'
import { useEffect, useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { Code } from '../../ui/code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { plainName, visibleText } from '../../ui/plain-text.ts'
import { prettyText } from '../../ui/pretty-text.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { previewKind } from './preview-kind.ts'

/** An artifact larger than this is saved, not shown: the page holds it as text a second time. */
const PREVIEW_BYTES = 20_000_000
/** JSON larger than this is shown as it is: many megabytes take seconds to lay out in lines. */
const PRETTY_BYTES = 5_000_000

interface ArtifactPreviewProps {
  readonly artifact: { readonly id: string; readonly name: string }
  readonly sessionId: string
  readonly agent?: string
}

export const ArtifactPreview = ({ artifact, sessionId, agent }: ArtifactPreviewProps) => {
  const { client } = useServer()
  const { id, name } = artifact
  const { data: blob, error } = useLoaded(`${agent ?? ''} ${sessionId} ${id}`, async () =>
    (await client.artifact(sessionId, id, agent)).blob(),
  )
  const type = blob?.type ?? ''
  const kind = previewKind(type)
  const isMedia = kind === 'image' || kind === 'audio'
  const isText = blob !== null && !isMedia && kind !== 'other' && blob.size <= PREVIEW_BYTES
  const text = useLoaded(isText ? id : null, async () => (await blob?.text()) ?? '').data
  const address = useObjectUrl(blob, isMedia ? type : SAVED_TYPE)
  if (error) return <p className="danger small">{visibleText(error.message)}</p>
  if (!blob) return <Skeleton rows={2} />
  return (
    <div className="preview">
      {kind === 'image' && address !== null && <img src={address} alt={visibleText(name)} />}
      {kind === 'audio' && address !== null && (
        // biome-ignore lint/a11y/useMediaCaption: the words of spoken audio are the message that it belongs to.
        <audio controls src={address} aria-label={visibleText(name)} />
      )}
      {text !== null && (
        <Code text={kind === 'json' && blob.size <= PRETTY_BYTES ? prettyText(text) : text} label={type} />
      )}
      {!isText && !isMedia && <p className="small t3">No preview, {bytesText(blob.size)}.</p>}
      {address !== null && (
        <a className="small row" href={address} download={plainName(name)}>
          <Icon name="download" size={14} />
          Save the file
        </a>
      )}
    </div>
  )
}

/** A file that a browser saves and never runs: an HTML artifact in a tab of its own would be a page of this server. */
const SAVED_TYPE = 'application/octet-stream'

/** A link of the page to bytes that it has: the server wants a credential, which a link cannot carry. */
const useObjectUrl = (blob: Blob | null, type: string): string | null => {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(new Blob([blob], { type }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob, type])
  return address
}
