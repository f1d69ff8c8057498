// The place to choose a file, or to drop one.
import { type DragEvent, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { openReplayFile } from './replay-file.ts'

interface FilePickerProps {
  /** The file that could not be read, and why. */
  readonly problem: { readonly name: string; readonly problem: string } | null
}

export const FilePicker = ({ problem }: FilePickerProps) => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const open = (file: File | undefined): void => {
    if (file) void openReplayFile(file)
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    open(event.dataTransfer.files[0])
  }
  return (
    <div className="center">
      <section
        className={isOver ? 'state drop over' : 'state drop'}
        aria-label="Export file"
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Icon name="history" size={20} />
        <h2>Replay an export</h2>
        <p>
          Drop a file here that <code>bridle export</code> or <code>GET /sessions/:id/export</code> wrote. This browser
          reads it, and nothing is sent to a server.
        </p>
        {problem && (
          <p className="danger" role="alert">
            <b>{visibleText(problem.name)}</b> cannot be shown. {visibleText(problem.problem)}
          </p>
        )}
        <div>
          <input
            ref={input}
            type="file"
            hidden
            aria-label="Export file to replay"
            onChange={(event) => {
              open(event.target.files?.[0])
              event.target.value = ''
            }}
          />
          <Button look="primary" icon="upload" onClick={() => input.current?.click()}>
            Choose a file
          </Button>
        </div>
      </section>
    </div>
  )
}
