import { KeyCaps } from '../../ui/kbd.tsx'

/** The keys of the palette itself. */
export const PaletteFoot = ({ isHere, hasSession }: { readonly isHere: boolean; readonly hasSession: boolean }) => (
  <div className="palette-foot no-phone" aria-hidden="true">
    <span className="row">
      <KeyCaps keys="↑" />
      <KeyCaps keys="↓" /> move
    </span>
    <span className="row">
      <KeyCaps keys="Enter" /> run
    </span>
    {hasSession && (
      <span className="row">
        <KeyCaps keys="Tab" /> {isHere ? 'all sessions' : 'this session'}
      </span>
    )}
    <span className="row right">
      <KeyCaps keys="Escape" /> close
    </span>
  </div>
)
