// The place to choose a file, or to drop one.
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon-names.ts'
import { openReplayFile } from './replay-file.ts'
import './replay.css'

interface FileDropProps {
  /** The name of the field, for screen readers. */
  readonly label: string
  readonly icon: IconName
  readonly button: ReactNode
  /** `row`: one line, above what is known of the file. */
  readonly look?: 'state' | 'row'
  readonly isPrimary?: boolean
  readonly isDisabled?: boolean
  readonly children: ReactNode
}

export const FileDrop = ({
  label,
  icon,
  button,
  look = 'state',
  isPrimary = false,
  isDisabled = false,
  children,
}: FileDropProps) => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const open = (file: File | undefined): void => {
    if (file && !isDisabled) void openReplayFile(file)
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    open(event.dataTransfer.files[0])
  }
  return (
    <section
      className={`${look} drop${isOver ? ' over' : ''}`}
      aria-label="Export file"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Icon name={icon} size={20} />
      {children}
      <div>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={label}
          onChange={(event) => {
            open(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <Button
          look={isPrimary ? 'primary' : 'plain'}
          {...(isPrimary && { icon: 'upload' as const })}
          isDisabled={isDisabled}
          onClick={() => input.current?.click()}
        >
          {button}
        </Button>
      </div>
    </section>
  )
}
