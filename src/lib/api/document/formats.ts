/** The types that each format is one of (reference: description-format.md, section 3). */
export const FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['integer'],
  uint32: ['integer'],
  int64: ['string'],
  uint64: ['string'],
  float: ['number'],
  double: ['number'],
  byte: ['string'],
  date: ['string'],
  'date-time': ['string'],
  'google-datetime': ['string'],
  'google-duration': ['string'],
  'google-fieldmask': ['string'],
  'google.protobuf.Any': ['object', 'any'],
  'google.protobuf.Value': ['object', 'any'],
}

/** Whether a format says more than the type does; what nobody knows says nothing. */
export function isFormat(name: string | undefined): name is string {
  return name !== undefined && Object.hasOwn(FORMATS, name)
}
