package server

// Parameters of each cloud provider. The clouds are not available yet: a request for one is refused with a message on provider.

// AWSServer is a machine at AWS.
type AWSServer struct {
	RegionID   string `json:"region_id,omitempty"`
	SizeID     string `json:"size_id,omitempty"`
	VPCUUID    string `json:"vpc_uuid,omitempty"`
	SubnetUUID string `json:"subnet_uuid,omitempty"`
	DiskSize   int64  `json:"disk_size,omitempty" minimum:"20" maximum:"2000" doc:"In gigabytes."`
}

// Ocean2Server is a machine at DigitalOcean.
type Ocean2Server struct {
	RegionID            string `json:"region_id,omitempty"`
	SizeID              string `json:"size_id,omitempty"`
	VPCUUID             string `json:"vpc_uuid,omitempty"`
	EnableWeeklyBackups bool   `json:"enable_weekly_backups,omitempty"`
}

// HetznerServer is a machine at Hetzner.
type HetznerServer struct {
	RegionID           string `json:"region_id,omitempty"`
	SizeID             string `json:"size_id,omitempty"`
	NetworkID          int64  `json:"network_id,omitempty"`
	EnableDailyBackups bool   `json:"enable_daily_backups,omitempty"`
	// EnableWeeklyBackups is in the contract in addition to the daily ones.
	EnableWeeklyBackups bool `json:"enable_weekly_backups,omitempty" default:"false"`
}

// VultrServer is a machine at Vultr.
type VultrServer struct {
	RegionID  string `json:"region_id,omitempty"`
	SizeID    string `json:"size_id,omitempty"`
	NetworkID string `json:"network_id,omitempty" format:"uuid"`
}

// AkamaiServer is a machine at Akamai.
type AkamaiServer struct {
	RegionID string `json:"region_id,omitempty"`
	SizeID   string `json:"size_id,omitempty"`
}

// LaravelServer is a machine at the provider of that name in the contract, for compatibility.
type LaravelServer struct {
	RegionID string `json:"region_id,omitempty"`
	SizeID   string `json:"size_id,omitempty"`
	VPCUUID  string `json:"vpc_uuid,omitempty"`
}
