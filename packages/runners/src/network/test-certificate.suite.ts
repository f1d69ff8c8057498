// A certificate for the names files.test and other.test, which exist in tests alone. It signs itself, and nothing else trusts it.

export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg285EBloJ9v++A8C5
hNS2Uk2kRboN5gDitGrvobjr6c+hRANCAARbgOHAtMoqubWh2DdukdrN6IzYyBKJ
s1RFQ/mWi3fBK9uDh9R1tCP7ZRZdcygUpfkkNwDcD/Ndn0KwawvjkLKN
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBcTCCARagAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApmaWxlcy50
ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApmaWxlcy50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEW4DhwLTKKrm1
odg3bpHazeiM2MgSibNURUP5lot3wSvbg4fUdbQj+2UWXXMoFKX5JDcA3A/zXZ9C
sGsL45CyjaNVMFMwDwYDVR0TAQH/BAUwAwEB/zAhBgNVHREEGjAYggpmaWxlcy50
ZXN0ggpvdGhlci50ZXN0MB0GA1UdDgQWBBSUytZy8CoYNxjsxglW9uGww93u3DAK
BggqhkjOPQQDAgNJADBGAiEA5Iy6m0h4rz1v2hoHcaiDE6oIYSSKw/252IfBnhna
PwQCIQDvL98K1jMOin1xu6Fc8SU3kdppFy5StvZe+mXsb0KDJw==
-----END CERTIFICATE-----`,
}
