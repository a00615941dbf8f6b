package org.example.complaints;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

@SpringBootApplication
@ConfigurationPropertiesScan
public class ComplaintDesk {

    public static void main(String[] args) {
        SpringApplication.run(ComplaintDesk.class, args);
    }
}
